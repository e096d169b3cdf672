using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A file that is read and written by calls that name their position, whose operations are each seen whole.</summary>
internal sealed class PositionalAtomicFile(OpenedFile file) : AtomicFile<PositionalBytes>(file)
{
    public override BlockFileKind Kind => BlockFileKind.PositionalAtomic;
}
