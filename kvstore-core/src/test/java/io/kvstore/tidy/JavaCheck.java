package io.kvstore.tidy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssertTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.lang.model.element.Modifier;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Judges one Java source with the compiler's own parser. */
final class JavaCheck extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private static final int MOST_METHOD_LINES = 60;
    private static final int MOST_PARAMETERS = 5;
    private static final Set<String> DEFAULT_LOCALE_OR_CHARSET = Set.of("toLowerCase", "toUpperCase", "getBytes");

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all sources, because each opens the archives of the class path. */
    private static final JavaFileManager FILES = COMPILER.getStandardFileManager(null, Locale.ROOT, UTF_8);

    private final SourceText source;
    private final List<Comment> comments;
    private final List<Finding> findings = new ArrayList<>();
    private final CompilationUnitTree unit;
    private final SourcePositions positions;

    private JavaCheck(SourceText source, CompilationUnitTree unit, SourcePositions positions) {
        this.source = source;
        this.comments = Comment.of(source.text());
        this.unit = unit;
        this.positions = positions;
    }

    static List<Finding> check(SourceText source) {
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        JavacTask task = (JavacTask)
                COMPILER.getTask(null, FILES, problems, List.of("-proc:none"), null, List.of(new InMemory(source)));
        try {
            CompilationUnitTree unit = task.parse().iterator().next();
            JavaCheck check = new JavaCheck(source, unit, Trees.instance(task).getSourcePositions());
            check.scan(unit, null);
            problems.getDiagnostics()
                    .forEach(problem -> check.findings.add(
                            source.finding((int) problem.getLineNumber(), "does not parse: " + problem)));
            return check.findings;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public @Nullable Void visitCompilationUnit(CompilationUnitTree tree, @Nullable Void nothing) {
        if (tree.getTypeDecls().size() > 1) {
            report(tree.getTypeDecls().get(1), "second top-level type: give it a file of its own");
        }
        return super.visitCompilationUnit(tree, null);
    }

    @Override
    public @Nullable Void visitImport(ImportTree tree, @Nullable Void nothing) {
        if (tree.getQualifiedIdentifier().toString().endsWith(".*")) {
            report(tree, "import of everything: name each type");
        }
        return super.visitImport(tree, null);
    }

    @Override
    public @Nullable Void visitClass(ClassTree tree, @Nullable Void nothing) {
        if (suppresses(tree.getModifiers()) && !source.name().equals("ReadmeExampleTest.java")) {
            report(tree, "warnings suppressed for a whole class: suppress at the smallest declaration");
        }
        return super.visitClass(tree, null);
    }

    @Override
    public @Nullable Void visitMethod(MethodTree tree, @Nullable Void nothing) {
        int lines = endLine(tree) - line(tree) + 1;
        if (lines > MOST_METHOD_LINES) {
            report(tree, "method of " + lines + " lines: split it, " + MOST_METHOD_LINES + " is the most");
        }
        int parameters = tree.getParameters().size();
        boolean overrides = annotations(tree.getModifiers()).contains("Override");
        if (parameters > MOST_PARAMETERS && !overrides && !isCanonicalConstructor(tree)) {
            report(tree, parameters + " parameters: make a record of them, " + MOST_PARAMETERS + " is the most");
        }
        return super.visitMethod(tree, null);
    }

    @Override
    public @Nullable Void visitAnnotation(AnnotationTree tree, @Nullable Void nothing) {
        String name = tree.getAnnotationType().toString();
        if (name.equals("SuppressWarnings") && !hasReason(line(tree))) {
            report(tree, "@SuppressWarnings without a reason: add a // comment on this line or the one before");
        }
        if (name.equals("Disabled")) {
            report(tree, "a test that is switched off tests nothing: repair or delete it");
        }
        return super.visitAnnotation(tree, null);
    }

    @Override
    public @Nullable Void visitCatch(CatchTree tree, @Nullable Void nothing) {
        boolean empty = tree.getBlock().getStatements().isEmpty();
        if (empty && comments.stream().noneMatch(comment -> isInside(comment, tree.getBlock()))) {
            report(tree, "empty catch block: handle the failure, or say in a comment why there is nothing to do");
        }
        return super.visitCatch(tree, null);
    }

    @Override
    public @Nullable Void visitAssert(AssertTree tree, @Nullable Void nothing) {
        if (!source.isTest()) {
            report(tree, "assert does nothing in production: throw");
        }
        return super.visitAssert(tree, null);
    }

    @Override
    public @Nullable Void visitMemberSelect(MemberSelectTree tree, @Nullable Void nothing) {
        for (BannedCall banned : BannedCall.ALL) {
            if (tree.getIdentifier().contentEquals(banned.lastName()) && banned.isIn(source)) {
                String text = tree.toString(); // costs much for a long chain of calls
                if (text.equals(banned.code()) || text.endsWith("." + banned.code())) {
                    report(tree, banned.code() + ": " + banned.instead());
                }
            }
        }
        return super.visitMemberSelect(tree, null);
    }

    /** The compiler and ArchUnit judge by types what a module compiles; this is for the examples, which none does. */
    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree tree, @Nullable Void nothing) {
        if (!source.isIn("docs")) {
            return super.visitMethodInvocation(tree, null);
        }
        String called = tree.getMethodSelect().toString();
        boolean asksPlainly = tree.getArguments().isEmpty()
                && tree.getMethodSelect() instanceof MemberSelectTree select
                && DEFAULT_LOCALE_OR_CHARSET.contains(select.getIdentifier().toString());
        boolean formats = called.equals("String.format") && tree.getArguments().getFirst() instanceof LiteralTree;
        if (asksPlainly || formats) {
            report(tree, called + " asks for the default locale or charset: give Locale.ROOT or UTF_8");
        }
        return super.visitMethodInvocation(tree, null);
    }

    /** A record's components may be many; a constructor that repeats them may be as long. */
    private boolean isCanonicalConstructor(MethodTree method) {
        if (!(getCurrentPath().getParentPath().getLeaf() instanceof ClassTree type)
                || type.getKind() != Tree.Kind.RECORD
                || method.getReturnType() != null) {
            return false;
        }
        long components = type.getMembers().stream()
                .filter(member -> member instanceof VariableTree field
                        && !field.getModifiers().getFlags().contains(Modifier.STATIC))
                .count();
        return components == method.getParameters().size();
    }

    private boolean suppresses(ModifiersTree modifiers) {
        return annotations(modifiers).contains("SuppressWarnings");
    }

    private static List<String> annotations(ModifiersTree modifiers) {
        return modifiers.getAnnotations().stream()
                .map(annotation -> annotation.getAnnotationType().toString())
                .toList();
    }

    private boolean hasReason(int line) {
        return comments.stream().filter(Comment::isLine).anyMatch(comment -> {
            int at = source.lineAt(comment.start());
            return at == line || at == line - 1;
        });
    }

    private boolean isInside(Comment comment, Tree tree) {
        return comment.start() >= positions.getStartPosition(unit, tree)
                && comment.end() <= positions.getEndPosition(unit, tree);
    }

    private int line(Tree tree) {
        return source.lineAt((int) Math.max(0, positions.getStartPosition(unit, tree)));
    }

    private int endLine(Tree tree) {
        return source.lineAt((int) Math.max(0, positions.getEndPosition(unit, tree)));
    }

    private void report(Tree tree, String message) {
        findings.add(source.finding(line(tree), message));
    }

    private static final class InMemory extends SimpleJavaFileObject {
        private final String text;

        InMemory(SourceText source) {
            super(URI.create("string:///" + source.name()), Kind.SOURCE);
            this.text = source.text();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
