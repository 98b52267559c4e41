package io.kvstore.client;

import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;
import org.apache.thrift.transport.layered.TFramedTransport;

/** A framed transport that also limits the size of requests, and knows whether anything of a call was sent. */
final class LimitedFrames extends TFramedTransport {

    private final int maxFrameBytes;
    private long writtenBytes;
    private boolean sent;

    LimitedFrames(TTransport transport, int maxFrameBytes) throws TTransportException {
        super(transport, maxFrameBytes);
        this.maxFrameBytes = maxFrameBytes;
    }

    /** Begins a call: forgets the call before. */
    void begin() {
        writtenBytes = 0;
        sent = false;
    }

    /** Whether anything of the call may have been sent. */
    boolean isSent() {
        return sent;
    }

    /** Whether the request did not fit into a frame. Then nothing was sent. */
    boolean isTooLarge() {
        return writtenBytes > maxFrameBytes;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws TTransportException {
        writtenBytes += length;
        if (isTooLarge()) {
            throw new TTransportException(
                    TTransportException.MESSAGE_SIZE_LIMIT, "the request is larger than " + maxFrameBytes + " bytes");
        }
        super.write(bytes, offset, length);
    }

    @Override
    public void flush() throws TTransportException {
        sent = true;
        super.flush();
    }
}
