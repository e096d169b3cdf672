using System;
using System.IO;
using System.Threading;
using BigPile.Caching;
using BigPile.Http.Bulk;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Sample records that ship with the server, so that a new user finds some data.</summary>
internal sealed class Sample(ServerSettings settings, TimeProvider time, ILogger<Sample> logger)
{
    internal const string TableName = "packages";
    internal const string ExampleKey = "0ad";

    private const string KeyField = "id";

    internal static string FilePath => Path.Combine(AppContext.BaseDirectory, "sample", "packages.jsonl");

    /// <summary>Loads the sample into a pile without tables, if it has the space.</summary>
    internal void LoadIfEmpty(PileCache cache)
    {
        if (!settings.LoadSample || cache.TableNames.Count != 0 || !File.Exists(FilePath))
            return;
        var tally = new LoadTally(time, static (line, reason) => throw new InvalidDataException($"Line {line} of the sample: {reason}"));
        using FileStream file = File.OpenRead(FilePath);
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>(TableName);
        using var load = new BulkLoad(table, KeyField, settings.MaxBodyBytes, tally, time);
        try
        {
            load.RunAsync(file, CancellationToken.None).GetAwaiter().GetResult();
        }
        catch (PileFullException)
        {
            cache.DropTable(TableName); // the space is the application's
            logger.LogWarning(
                "The pile has no space for the sample records, and was left empty: its limit is {Limit:N0} bytes. Raise Pile:MaxBytes, or "
                + "set Server:LoadSample=false", cache.Pile.Statistics.LimitBytes);
            return;
        }
        logger.LogInformation("The pile was empty; loaded {Records:N0} sample records into the table {Table}", tally.Records, TableName);
    }
}
