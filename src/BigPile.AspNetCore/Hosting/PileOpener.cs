using System;
using BigPile.Caching;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace BigPile.AspNetCore.Hosting;

/// <summary>Makes the pile that the options describe.</summary>
internal class PileOpener(IOptions<BigPileOptions> options, ILogger<Pile> logger, TimeProvider? time = null)
{
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
            Logger = logger,
        });
        try
        {
            return new PileCache(pile, new PileCacheOptions
            {
                OwnsPile = true,
                // A request must not be told that an entry is missing which the index does not know yet.
                WaitsUntilReady = settings.WaitsForTables,
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
}
