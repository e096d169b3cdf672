using Xunit.Abstractions;

namespace BigPile.Files.Tests;

public sealed class StandardFileTests(ITestOutputHelper output) : BlockFileContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.Standard;
}

public sealed class MappedParallelFileTests(ITestOutputHelper output) : BlockFileContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.MappedParallel;
}

public sealed class MappedAtomicFileTests(ITestOutputHelper output) : BlockFileContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.MappedAtomic;
}

public sealed class PositionalParallelFileTests(ITestOutputHelper output) : BlockFileContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.PositionalParallel;
}

public sealed class PositionalAtomicFileTests(ITestOutputHelper output) : BlockFileContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.PositionalAtomic;
}

/// <summary>As where the system can't take addresses ahead: each growth is a mapping by the runtime, and the file moves.</summary>
public sealed class MovingParallelFileTests(ITestOutputHelper output) : BlockFileContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.MappedParallel;

    internal override BlockFileOptions Adapt(BlockFileOptions options) => options with { AddressBytes = 0 };
}

/// <inheritdoc cref="MovingParallelFileTests"/>
public sealed class MovingAtomicFileTests(ITestOutputHelper output) : BlockFileContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.MappedAtomic;

    internal override BlockFileOptions Adapt(BlockFileOptions options) => options with { AddressBytes = 0 };
}

/// <summary>A file that outgrows the addresses that were taken ahead for it, again and again.</summary>
public sealed class OutgrowingFileTests(ITestOutputHelper output) : BlockFileContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.MappedParallel;

    internal override BlockFileOptions Adapt(BlockFileOptions options) => options with { AddressBytes = 100_000 };
}

/// <summary>As on Windows: the calls are the runtime's, and a hook is told of them.</summary>
public sealed class PositionalByRuntimeTests(ITestOutputHelper output) : BlockFileContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.PositionalParallel;

    internal override BlockFileOptions Adapt(BlockFileOptions options) => options with { Hook = new FailingOperations() };
}
