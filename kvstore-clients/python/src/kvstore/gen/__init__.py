__all__ = ['ttypes', 'constants', 'KVStoreService']
