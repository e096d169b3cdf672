using System;
using System.IO;

namespace BigPile.Tests.Durability;

/// <summary>A test with a mapped pile whose power can be cut.</summary>
public abstract class DurabilityTest : IDisposable
{
    internal const long SegmentBytes = 4 << 20;

    private readonly TemporaryDirectory _temporary = new();

    protected DurabilityTest() => Files = new DurableFiles(PilePath);

    internal DurableFiles Files { get; }

    protected string PilePath => Path.Combine(_temporary.Path, "pile");

    protected string ImagePath => Path.Combine(_temporary.Path, "image");

    protected string OtherPath => Path.Combine(_temporary.Path, "other");

    public void Dispose()
    {
        _temporary.Dispose();
        GC.SuppressFinalize(this);
    }

    internal Pile Open(Action<PileOptions>? change = null) => OpenAt(PilePath, PowerCutHarness.FirstBoot, change);

    /// <summary>Opens what a power cut left.</summary>
    internal Pile OpenImage(Action<PileOptions>? change = null) => OpenAt(ImagePath, PowerCutHarness.NextBoot, change);

    /// <summary>Copies the directory as a kill at this instant would leave it, and opens the copy.</summary>
    internal Pile OpenKilled(Action<PileOptions>? change = null)
    {
        PileFiles.Copy(PilePath, ImagePath);
        return OpenAt(ImagePath, PowerCutHarness.FirstBoot, change);
    }

    private Pile OpenAt(string path, Guid boot, Action<PileOptions>? change)
    {
        var options = new PileOptions { SegmentBytes = SegmentBytes, BootId = boot };
        if (path == PilePath)
            options.Synced = Files.Synced;
        change?.Invoke(options);
        return Pile.Open(path, options);
    }
}
