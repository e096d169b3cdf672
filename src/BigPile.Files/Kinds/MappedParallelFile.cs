using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A mapped file whose operations are not atomic.</summary>
internal sealed class MappedParallelFile(OpenedFile file) : ParallelFile<MappedBytes>(file)
{
    public override BlockFileKind Kind => BlockFileKind.MappedParallel;
}
