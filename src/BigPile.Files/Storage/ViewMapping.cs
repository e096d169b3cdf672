using System.Diagnostics;
using System.IO.MemoryMappedFiles;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>A mapping of exactly the file, by the runtime: for any system, but growth needs a new mapping.</summary>
internal sealed unsafe class ViewMapping : FileMapping
{
    private readonly MemoryMappedViewAccessor _view;

    internal ViewMapping(HeldFile file, long lengthBytes)
    {
        _view = file.MapView(lengthBytes, 0, lengthBytes);
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        Debug.Assert(_view.PointerOffset == 0, "The view begins with the file.");
        Start = start + _view.PointerOffset;
        LengthBytes = lengthBytes;
    }

    internal override void Flush() => _view.Flush();

    public override void Dispose()
    {
        if (Start == null)
            return;
        Start = null;
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
    }
}
