/** The errors of the client, each with a code and an outcome. This package imports no other package of the project. */
@NullMarked
package io.kvstore.client.error;

import org.jspecify.annotations.NullMarked;
