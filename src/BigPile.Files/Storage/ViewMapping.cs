using System.IO;
using System.IO.MemoryMappedFiles;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>A mapping of just what a file has, by the runtime: on any system, but growth is another mapping.</summary>
internal sealed unsafe class ViewMapping : FileMapping
{
    private readonly MemoryMappedFile _map;
    private readonly MemoryMappedViewAccessor _view;

    internal ViewMapping(HeldFile file, long lengthBytes)
    {
        MemoryMappedFileAccess access = file.CanWrite ? MemoryMappedFileAccess.ReadWrite : MemoryMappedFileAccess.Read;
        _map = MemoryMappedFile.CreateFromFile(file.Handle, null, lengthBytes, access, HandleInheritability.None, leaveOpen: true);
        try
        {
            _view = _map.CreateViewAccessor(0, lengthBytes, access);
        }
        catch
        {
            _map.Dispose();
            throw;
        }
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
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
        _map.Dispose();
    }
}
