package io.kvstore.client;

import io.kvstore.thrift.KVStoreService;
import io.kvstore.thrift.ScanPage;
import io.kvstore.thrift.ServiceError;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TType;

/**
 * The answer to a scan. Its entries are read straight from the bytes of the frame. The generated code would make several
 * objects for each entry. Used by one thread.
 */
final class ScanAnswer extends KVStoreService.scan_result {

    private static final long serialVersionUID = 1L;
    private static final short SUCCESS = _Fields.SUCCESS.getThriftFieldId();
    private static final short ERROR = _Fields.ERROR.getThriftFieldId();

    private final transient LimitedFrames frames;

    ScanAnswer(LimitedFrames frames) {
        this.frames = frames;
    }

    /** The page of an answer. It can only be read as {@link #page}. */
    static final class Page extends ScanPage {

        private static final long serialVersionUID = 1L;

        private final transient EntryPage page;

        Page(EntryPage page) {
            this.page = page;
        }

        EntryPage page() {
            return page;
        }
    }

    @Override
    public void read(TProtocol in) throws TException {
        in.readStructBegin();
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            if (field.id == SUCCESS && field.type == TType.STRUCT) {
                setSuccess(new Page(new PageReading(in, frames).page()));
            } else if (field.id == ERROR && field.type == TType.STRUCT) {
                ServiceError error = new ServiceError();
                error.read(in);
                setError(error);
            } else {
                TProtocolUtil.skip(in, field.type);
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
    }
}
