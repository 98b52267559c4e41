/** The page file of a B+tree table: places, the map from page ids to places, superblocks. */
@NullMarked
package io.kvstore.bplus.file;

import org.jspecify.annotations.NullMarked;
