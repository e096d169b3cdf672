using System;

namespace BigPile.Tests.Durability;

/// <summary>A test with a mapped pile whose power can be cut.</summary>
public abstract class DurabilityTest : IDisposable
{
    internal const long SegmentBytes = 4 << 20;

    /// <summary>A start of the machine.</summary>
    internal static readonly Guid FirstBoot = new("00000000-0000-0000-0000-000000000001");

    /// <summary>Another start of the machine than that during which the pile ran.</summary>
    internal static readonly Guid NextBoot = new("00000000-0000-0000-0000-000000000002");

    private readonly ScratchDirectory _scratch = new();

    protected DurabilityTest() => Files = new DurableFiles(PilePath);

    internal DurableFiles Files { get; }

    protected string PilePath => _scratch.At("pile");

    protected string ImagePath => _scratch.At("image");

    protected string OtherPath => _scratch.At("other");

    public void Dispose()
    {
        _scratch.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Opens the pile by the number that the system gives for its start.</summary>
    internal Pile Open(Func<PileOptions, PileOptions>? change = null) => OpenAt(PilePath, null, change);

    /// <summary>Opens what a power cut left.</summary>
    internal Pile OpenImage(Func<PileOptions, PileOptions>? change = null) => OpenAt(ImagePath, NextBoot, change);

    /// <summary>Copies the directory as a kill at this instant would leave it, and opens the copy.</summary>
    internal Pile OpenKilled(Func<PileOptions, PileOptions>? change = null)
    {
        KilledPile.Copy(PilePath, ImagePath);
        return OpenAt(ImagePath, null, change);
    }

    internal Pile OpenAt(string path, Guid? boot, Func<PileOptions, PileOptions>? change)
    {
        var options = new PileOptions { SegmentBytes = SegmentBytes, BootId = boot, Synced = path == PilePath ? Files.Synced : null };
        return Pile.Open(path, change?.Invoke(options) ?? options);
    }
}
