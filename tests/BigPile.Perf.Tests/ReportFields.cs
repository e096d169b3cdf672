using System.Linq;
using System.Text.Json;

namespace BigPile.Perf.Tests;

/// <summary>What is true of every report.</summary>
internal static class ReportFields
{
    private const int PointerBytes = 8;

    private static readonly string[] Rates =
    [
        "putPerSecond", "enumeratePerSecond", "getPerSecond", "randomGetPerSecond", "randomBatchGetPerSecond", "deletePerSecond",
            "firstTouchPutPerSecond",
    ];

    private static readonly string[] Sizes = ["bytesPerObject", "reservedBytes", "fullCollectionMs", "managedBytes"];

    private static readonly string[] RestartTimes = ["flushSeconds", "openSeconds", "readBackSeconds"];

    private static readonly string[] Options = ["store", "payload", "count", "threads", "directory"];

    internal static void AssertComplete(JsonElement report, string store, string payload, int count, int threads, int payloadBytes)
    {
        string[] all = [.. Options, .. Rates, .. Sizes, .. RestartTimes];
        Assert.Equal(all.Order(), report.EnumerateObject().Select(field => field.Name).Order());
        Assert.Equal(store, report.GetProperty("store").GetString());
        Assert.Equal(payload, report.GetProperty("payload").GetString());
        Assert.Equal(count, report.GetProperty("count").GetInt32());
        Assert.Equal(threads, report.GetProperty("threads").GetInt32());
        Measured.AssertAbove0(report, Rates);
        AssertSizes(report, count, payloadBytes);
        AssertMapped(report, store == "mapped");
    }

    private static void AssertSizes(JsonElement report, int count, int payloadBytes)
    {
        double bytesPerObject = report.GetProperty("bytesPerObject").GetDouble();
        Assert.InRange(bytesPerObject, payloadBytes, payloadBytes + 1_000_000.0 / count);
        Assert.InRange(report.GetProperty("reservedBytes").GetInt64(), (long)(bytesPerObject * count) - count, long.MaxValue);
        Assert.InRange(report.GetProperty("managedBytes").GetInt64(), PointerBytes * count, long.MaxValue);
        Measured.AssertAbove0(report, "fullCollectionMs");
    }

    private static void AssertMapped(JsonElement report, bool isMapped)
    {
        Assert.Equal(isMapped ? JsonValueKind.String : JsonValueKind.Null, report.GetProperty("directory").ValueKind);
        foreach (string time in RestartTimes)
        {
            if (isMapped)
                Measured.AssertAbove0(report, time);
            else
                Assert.Equal(JsonValueKind.Null, report.GetProperty(time).ValueKind);
        }
    }
}
