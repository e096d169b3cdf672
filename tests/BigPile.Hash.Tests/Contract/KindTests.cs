using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests.Contract;

public sealed class StandardHashTests(ITestOutputHelper output) : HashContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.Standard;
}

public sealed class MappedParallelHashTests(ITestOutputHelper output) : HashContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.MappedParallel;
}

public sealed class MappedAtomicHashTests(ITestOutputHelper output) : HashContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.MappedAtomic;
}

public sealed class PositionalParallelHashTests(ITestOutputHelper output) : HashContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.PositionalParallel;
}

public sealed class PositionalAtomicHashTests(ITestOutputHelper output) : HashContract(output)
{
    protected override BlockFileKind Kind => BlockFileKind.PositionalAtomic;
}
