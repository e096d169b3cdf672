using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A file that is mapped into memory, whose operations are each seen whole.</summary>
internal sealed class MappedAtomicFile(OpenedFile file) : AtomicFile<MappedBytes>(file)
{
    public override BlockFileKind Kind => BlockFileKind.MappedAtomic;
}
