package io.kvstore.bench.offroad;

import io.kvstore.bench.store.Session;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/**
 * The binding of YCSB to all stores of the bench. The fields of a record are one value: for each field the length of its name,
 * the name, the length of its value, and the value. So an update of one field gets the record and puts it again, as in YCSB's
 * own binding to RocksDB. A session belongs to one thread.
 */
final class YcsbSession extends DB {

    private final Session session;

    YcsbSession(Session session) {
        this.session = session;
    }

    @Override
    public Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        try {
            byte[] value = session.get(bytes(key));
            if (value == null) {
                return Status.NOT_FOUND;
            }
            decode(value, fields, result);
            return Status.OK;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    @SuppressWarnings({"JdkObsolete", "NonApiType"}) // the types are those that YCSB asks for
    public Status scan(
            String table,
            String startKey,
            int count,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        try {
            session.scan(bytes(startKey), count, (key, value) -> {
                HashMap<String, ByteIterator> found = new HashMap<>();
                decode(value, fields, found);
                result.add(found);
            });
            return Status.OK;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        Map<String, ByteIterator> all = new HashMap<>();
        Status status = read(table, key, null, all);
        if (!status.isOk()) {
            return status;
        }
        all.putAll(values);
        return insert(table, key, all);
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        try {
            session.put(bytes(key), encode(values));
            return Status.OK;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Status delete(String table, String key) {
        try {
            session.remove(bytes(key));
            return Status.OK;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void cleanup() {
        try {
            session.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] encode(Map<String, ByteIterator> values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
        values.forEach((name, value) -> {
            for (byte[] part : new byte[][] {bytes(name), value.toArray()}) {
                out.writeBytes(length.putInt(0, part.length).array());
                out.writeBytes(part);
            }
        });
        return out.toByteArray();
    }

    private static void decode(byte[] record, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        ByteBuffer in = ByteBuffer.wrap(record);
        while (in.hasRemaining()) {
            int nameBytes = in.getInt();
            String name = new String(record, in.position(), nameBytes, StandardCharsets.UTF_8);
            in.position(in.position() + nameBytes);
            int valueBytes = in.getInt();
            if (fields == null || fields.contains(name)) {
                result.put(name, new ByteArrayByteIterator(record, in.position(), valueBytes));
            }
            in.position(in.position() + valueBytes);
        }
    }
}
