using System;
using BigPile.Caching;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace BigPile.AspNetCore.Hosting;

/// <summary>Makes the pile that the options describe.</summary>
internal class PileOpener(IOptions<BigPileOptions> options, ILogger<Pile> logger, TimeProvider? time = null)
{
    private volatile PileCache? _opened;

    /// <summary>The cache whose entries are being found again, for who wants to see how far that is; <see langword="null"/> before.</summary>
    internal PileCache? Opened => _opened;

    /// <summary>Opens the pile with its tables; may take long.</summary>
    internal virtual PileCache Open()
    {
        BigPileOptions settings = options.Value;
        var pile = new Pile(new PileOptions
        {
            Directory = settings.Directory,
            SegmentBytes = settings.SegmentBytes,
            MaxBytes = settings.MaxBytes,
            CodecOptions = settings.CodecOptions,
            Codec = settings.Codec,
            FlushInterval = settings.FlushInterval,
            Warmup = settings.Warmup,
            WarmupBytesPerSecond = settings.WarmupBytesPerSecond,
            Checksums = settings.Checksums,
            HugePages = settings.HugePages,
            TimeProvider = time ?? TimeProvider.System,
            Logger = logger,
        });
        PileCache cache = OpenTables(pile);
        _opened = cache;
        if (settings.WaitsForTables)
            WaitForTables(cache);
        return cache;
    }

    private PileCache OpenTables(Pile pile)
    {
        try
        {
            return new PileCache(pile, new PileCacheOptions
            {
                OwnsPile = true,
                TimeProvider = time ?? TimeProvider.System,
                DefaultTableOptions = new TableOptions("*") { CollisionMode = CollisionMode.Durable },
            });
        }
        catch
        {
            pile.Dispose();
            throw;
        }
    }

    // A request must not be told that an entry is missing which the index does not know yet.
    private static void WaitForTables(PileCache cache)
    {
        try
        {
            cache.Readiness.Completion.GetAwaiter().GetResult();
        }
        catch
        {
            cache.Dispose();
            throw;
        }
    }
}
