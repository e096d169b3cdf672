namespace BigPile.Memory.Tests;

public sealed class ManagedRegionTests : RegionContract
{
    protected override StoreKind Kind => StoreKind.Managed;

    protected override MemoryRegion Create(long lengthBytes) => new ManagedRegion(lengthBytes);
}
