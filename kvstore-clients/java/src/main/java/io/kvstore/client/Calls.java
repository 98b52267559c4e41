package io.kvstore.client;

/** Makes calls that read. */
@FunctionalInterface
interface Calls {

    /** Makes a call that changes nothing. */
    <T> T read(Call<T> call);
}
