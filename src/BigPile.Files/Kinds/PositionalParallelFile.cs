using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A file accessed by positional calls, whose operations are not atomic.</summary>
internal sealed class PositionalParallelFile(OpenedFile file) : ParallelFile<PositionalBytes>(file)
{
    public override BlockFileKind Kind => BlockFileKind.PositionalParallel;
}
