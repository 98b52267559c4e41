package io.kvstore.bplus;

import java.io.IOException;

/** What {@link Upkeep} may do with the engine that it belongs to. */
final class EngineHooks implements Upkeep.Engine {

    private final BPlusEngine engine;

    /** @param engine whose pages and change buffer are there already; nothing else is asked for before it is complete */
    EngineHooks(BPlusEngine engine) {
        this.engine = engine;
    }

    @Override
    public PageSupply pages() {
        return engine.pages();
    }

    @Override
    public void reclaimNow() {
        engine.reclaim().now();
    }

    @Override
    public void checkpoint(boolean packs) throws IOException {
        engine.checkpoint(packs);
    }

    @Override
    public PutBuffer puts() {
        return engine.puts();
    }

    @Override
    public long lastLsn() {
        return engine.lastLsn();
    }

    @Override
    public boolean giveUpReserve() {
        return engine.reserve().giveUp();
    }

    @Override
    public void takeReserve() {
        engine.reserve().take(engine.diskBytes());
    }

    @Override
    public long oldPagesBytes() {
        return engine.oldPagesBytes();
    }
}
