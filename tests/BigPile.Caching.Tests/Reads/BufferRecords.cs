using System.Collections.Generic;
using BigPile.Caching.Liveness;

namespace BigPile.Caching.Tests.Reads;

/// <summary>The content of a read buffer, for the holder of its drain lock.</summary>
internal static class BufferRecords
{
    /// <summary>Drains all records.</summary>
    internal static List<(ulong Version, ulong Hash, long Time)> Drain(ReadBuffer buffer, bool clearsAll = true)
    {
        var drained = new List<(ulong, ulong, long)>();
        foreach ((ReadBuffer.Record record, long time) in Of(buffer))
        {
            drained.Add((record.Version, record.Hash, time));
            Assert.True(buffer.TryClear(record, time) || !clearsAll);
        }
        return drained;
    }

    /// <summary>The records to be drained.</summary>
    internal static IEnumerable<(ReadBuffer.Record Record, long Time)> Of(ReadBuffer buffer)
    {
        for (ReadBuffer.Set? set = buffer.Newest; set != null; set = set.Older)
        {
            for (int number = 0; number < set.Length; number++)
            {
                if (buffer.TryPeek(set, number, out ReadBuffer.Record record, out long time))
                    yield return (record, time);
            }
        }
    }
}
