using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A file that is mapped into memory, whose operations take no notice of each other.</summary>
internal sealed class MappedParallelFile(OpenedFile file) : ParallelFile<MappedBytes>(file)
{
    public override BlockFileKind Kind => BlockFileKind.MappedParallel;
}
