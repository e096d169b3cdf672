using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using BigPile.Perf.Traffic;

namespace BigPile.Perf.Requests;

/// <summary>Starts the service in a process of its own, and asks it for values over one or many connections.</summary>
internal static class HttpLoad
{
    private const int WarmUpShare = 4; // of the measured time

    /// <summary>Runs the load from nothing to nothing.</summary>
    internal static HttpReport Run(HttpOptions options, ILoadProgress progress, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        using WorkDirectory directory = WorkDirectory.Create(requested: null);
        using var server = ServerProcess.Start(directory.PilePath);
        progress.Begin("ask", options.ValueBytes.Count * options.Connections.Count);
        var rows = new List<HttpRow>();
        foreach (int valueBytes in options.ValueBytes)
        {
            Fill(server, valueBytes);
            foreach (int connections in options.Connections)
            {
                var length = Brevity.Of(TimeSpan.FromSeconds(options.Seconds), TimeSpan.FromMilliseconds(100));
                _ = Ask(server, valueBytes, connections, length / WarmUpShare, stop);
                rows.Add(Ask(server, valueBytes, connections, length, stop));
                progress.Report(rows.Count);
            }
        }
        return new HttpReport { Seconds = options.Seconds, Rows = rows };
    }

    private static void Fill(ServerProcess server, int valueBytes)
    {
        using var connection = new ResponseReader(server.Address);
        var value = new byte[valueBytes];
        new Random(valueBytes).NextBytes(value);
        for (int key = 0; key < HttpOptions.Entries; key++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(value, key);
            connection.Send(EntryRequest.Put(key, valueBytes));
            connection.Send(value);
            connection.Read(hasBody: true);
            if (connection.Status is not (200 or 201 or 204))
                throw new LoadException($"The service answered a PUT of {valueBytes} bytes with status {connection.Status}.");
        }
    }

    // A thread keeps one request on the way over each of its connections: more threads than processors would only wait for each other.
    private static HttpRow Ask(ServerProcess server, int valueBytes, int connections, TimeSpan length, CancellationToken stop)
    {
        int threads = Math.Min(connections, Environment.ProcessorCount);
        Asker[] askers = [.. Worker.Divide(connections, threads)
            .Select(share => new Asker(server.Address, share.End - share.Start, valueBytes, seed: share.Index, stop))];
        try
        {
            long startedAt = Stopwatch.GetTimestamp();
            Thread[] running = Array.ConvertAll(askers, asker => new Thread(() => asker.Run(startedAt, length)) { IsBackground = true });
            Array.ForEach(running, static thread => thread.Start());
            Array.ForEach(running, static thread => thread.Join());
            double seconds = Stopwatch.GetElapsedTime(startedAt).TotalSeconds;
            Array.ForEach(askers, static asker => asker.Failure?.Throw());
            stop.ThrowIfCancellationRequested();
            double perSecond = Figure.Rounded(askers.Sum(static asker => asker.Times.Count) / seconds, 0);
            return new HttpRow(valueBytes, connections, perSecond, LatencyReport.Of(askers.Select(static asker => asker.Times)));
        }
        finally
        {
            Array.ForEach(askers, static asker => asker.Dispose());
        }
    }
}
