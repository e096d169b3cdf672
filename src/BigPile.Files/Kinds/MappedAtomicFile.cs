using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A mapped file whose operations are atomic.</summary>
internal sealed class MappedAtomicFile(OpenedFile file) : AtomicFile<MappedBytes>(file)
{
    public override BlockFileKind Kind => BlockFileKind.MappedAtomic;
}
