/**
 * The bytes of one B+tree page. {@code PageFormat} has the layout, which docs/file-formats.md describes;
 * {@link io.kvstore.bplus.page.Node} reads a page, {@link io.kvstore.bplus.page.NodeEditor} changes it, {@code NodeBalancer}
 * moves entries between neighbours, and {@link io.kvstore.bplus.page.PageCheck} checks every rule.
 *
 * <p>One thread at a time changes a page, and others read it meanwhile without a lock. {@link io.kvstore.bplus.page.Node} says
 * what a reader can rely on.
 *
 * <p>Nothing in this room knows where a page is, or which other pages there are.
 */
@NullMarked
package io.kvstore.bplus.page;

import org.jspecify.annotations.NullMarked;
