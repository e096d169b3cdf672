using System.Globalization;
using System.IO;
using BigPile.Memory;

namespace BigPile.Storage;

/// <summary>Segments that are files in a pile's directory.</summary>
internal sealed class MappedSegmentStore(PileDirectory directory) : SegmentStore
{
    internal override StoreKind Kind => StoreKind.Mapped;

    internal override MemoryRegion Create(int number, long lengthBytes) => MappedRegion.Create(PathOf(number), lengthBytes);

    /// <summary>Maps the file of a segment that exists.</summary>
    /// <exception cref="PileStorageException">The file is missing or has another length.</exception>
    internal MappedRegion Open(int number, long lengthBytes)
    {
        string path = PathOf(number);
        try
        {
            return MappedRegion.Open(path, lengthBytes);
        }
        catch (FileNotFoundException e)
        {
            throw new PileStorageException($"The segment file '{path}' is missing. Restore it from a copy.", e);
        }
        catch (InvalidDataException e)
        {
            throw new PileStorageException($"A segment was truncated: {e.Message} Restore it from a copy.", e);
        }
    }

    internal override void Publish(int number, long lengthBytes) => directory.AddSegment(number, lengthBytes);

    internal override void Withdraw(int number, uint generationBase) => directory.RemoveSegment(number, generationBase);

    internal override void Remove(int number) => File.Delete(PathOf(number));

    internal string PathOf(int number) =>
        Path.Combine(directory.Path, string.Create(CultureInfo.InvariantCulture, $"segment-{number:d6}"));
}
