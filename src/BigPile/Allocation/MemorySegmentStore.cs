using BigPile.Memory;

namespace BigPile.Allocation;

/// <summary>Segments in memory of the process.</summary>
internal sealed class MemorySegmentStore(StoreKind kind, bool hugePages) : SegmentStore
{
    internal override StoreKind Kind => kind;

    internal override MemoryRegion Create(int number, long lengthBytes) =>
        kind == StoreKind.Managed ? new ManagedRegion(lengthBytes) : new NativeRegion(lengthBytes, hugePages);
}
