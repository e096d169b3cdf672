using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>A file accessed by positional calls, whose operations are atomic.</summary>
internal sealed class PositionalAtomicFile(OpenedFile file) : AtomicFile<PositionalBytes>(file)
{
    public override BlockFileKind Kind => BlockFileKind.PositionalAtomic;
}
