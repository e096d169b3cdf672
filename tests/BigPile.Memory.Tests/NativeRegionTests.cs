namespace BigPile.Memory.Tests;

public sealed class NativeRegionTests : RegionContract
{
    protected override StoreKind Kind => StoreKind.Native;

    protected override MemoryRegion Create(long lengthBytes) => new NativeRegion(lengthBytes);
}

public sealed class NativeHugePageRegionTests : RegionContract
{
    protected override StoreKind Kind => StoreKind.Native;

    protected override MemoryRegion Create(long lengthBytes) => new NativeRegion(lengthBytes, hugePages: true);
}
