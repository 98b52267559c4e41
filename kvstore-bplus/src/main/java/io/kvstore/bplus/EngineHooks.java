package io.kvstore.bplus;

import io.kvstore.bplus.buffer.PageSupply;
import io.kvstore.bplus.maintenance.Maintenance;
import io.kvstore.bplus.pending.ChangeBuffer;
import java.io.IOException;

/** The parts of an engine that its {@link Maintenance} uses. */
final class EngineHooks implements Maintenance.Engine {

    private final BPlusEngine engine;

    /** @param engine its pages and change buffer are there already; nothing else is asked for before the engine is complete */
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
    public ChangeBuffer changes() {
        return engine.changes();
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
