using System.Globalization;
using System.IO;
using BigPile.Memory;

namespace BigPile.Storage;

/// <summary>Segments that are files in a pile's directory.</summary>
internal sealed class MappedSegmentStore(PileDirectory directory) : SegmentStore
{
    internal override StoreKind Kind => StoreKind.Mapped;

    internal override MemoryRegion Create(int number, long lengthBytes) => MappedRegion.Create(PathOf(number), lengthBytes);

    /// <summary>Writes a segment's changes through to the device.</summary>
    internal void Sync(int number, MemoryRegion region)
    {
        region.Flush();
        directory.NoteSynced(PathOf(number));
    }

    /// <summary>Maps the file of a segment that exists.</summary>
    /// <exception cref="PileStorageException">The file is missing or has another length.</exception>
    internal MappedRegion Open(int number, long lengthBytes)
    {
        string path = PathOf(number);
        try
        {
            return MappedRegion.Open(path, lengthBytes, directory.IsReadOnly);
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

    // The file comes first: a superblock that lists a file which a power cut took would make the whole pile unusable.
    internal override void Publish(int number, MemoryRegion region)
    {
        Sync(number, region);
        directory.AddSegment(number, region.LengthBytes);
    }

    internal override void Withdraw(int number, uint generationBase) => directory.RemoveSegment(number, generationBase);

    internal override void Remove(int number) => File.Delete(PathOf(number));

    internal string PathOf(int number) =>
        Path.Combine(directory.Path, string.Create(CultureInfo.InvariantCulture, $"segment-{number:d6}"));
}
