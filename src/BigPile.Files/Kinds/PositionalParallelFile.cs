using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A file that is read and written by calls that name their position, whose operations take no notice of each other.</summary>
internal sealed class PositionalParallelFile(OpenedFile file) : ParallelFile<PositionalBytes>(file)
{
    public override BlockFileKind Kind => BlockFileKind.PositionalParallel;
}
