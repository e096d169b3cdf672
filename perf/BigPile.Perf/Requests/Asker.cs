using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net;
using System.Runtime.ExceptionServices;
using System.Text;
using System.Threading;
using BigPile.Perf.Tables;
using BigPile.Perf.Traffic;

namespace BigPile.Perf.Requests;

/// <summary>One thread that sends a request over each of a few connections, and then reads the responses.</summary>
internal sealed class Asker : IDisposable
{
    private readonly ResponseReader[] _connections;
    private readonly int[] _keys;
    private readonly long[] _sentAt;
    private readonly int _valueBytes;
    private readonly CancellationToken _stop;
    private RandomOrder _order;

    internal Asker(IPEndPoint server, int connections, int valueBytes, int seed, CancellationToken stop)
    {
        _connections = new ResponseReader[connections];
        for (int i = 0; i < connections; i++)
            _connections[i] = new ResponseReader(server);
        _keys = new int[connections];
        _sentAt = new long[connections];
        _valueBytes = valueBytes;
        _order = new RandomOrder(seed, HttpOptions.Entries);
        _stop = stop;
    }

    internal LatencyHistogram Times { get; } = new(); // the times from sending to having the whole answer

    /// <summary>The error that ended it early.</summary>
    internal ExceptionDispatchInfo? Failure { get; private set; }

    /// <summary>Asks until a time has passed, and at least once.</summary>
    internal void Run(long startedAt, TimeSpan length)
    {
        try
        {
            do
                AskOnce();
            while (Stopwatch.GetElapsedTime(startedAt) < length && !_stop.IsCancellationRequested);
        }
        catch (Exception e) when (e is LoadException or ConnectionLostException or InvalidDataException)
        {
            // Rethrown on the owner's thread.
            Failure = ExceptionDispatchInfo.Capture(e as LoadException ?? new LoadException(e.Message, e));
        }
    }

    public void Dispose() => Array.ForEach(_connections, static connection => connection.Dispose());

    private void AskOnce()
    {
        for (int i = 0; i < _connections.Length; i++)
        {
            _keys[i] = _order.Next();
            _sentAt[i] = Stopwatch.GetTimestamp();
            _connections[i].Send(EntryRequest.Get(_keys[i]));
        }
        for (int i = 0; i < _connections.Length; i++)
        {
            ResponseReader connection = _connections[i];
            connection.Read(hasBody: true);
            Times.Add((long)Stopwatch.GetElapsedTime(_sentAt[i]).TotalNanoseconds);
            Check(connection, _keys[i]);
        }
    }

    private void Check(ResponseReader answer, int key)
    {
        if (answer.Status == 200 && answer.Body.Length == _valueBytes && BinaryPrimitives.ReadInt64LittleEndian(answer.Body) == key)
            return;
        throw new LoadException(
            $"The service answered the GET of entry {key} with status {answer.Status} and {answer.Body.Length} bytes, "
            + $"which are not the {_valueBytes} that were put.");
    }
}

/// <summary>Requests for entries of the table that the load uses, as they go over the wire.</summary>
internal static class EntryRequest
{
    private static readonly byte[][] Gets = MakeGets();

    internal static ReadOnlySpan<byte> Get(int key) => Gets[key];

    /// <summary>The head of a request; the value follows.</summary>
    internal static byte[] Put(int key, int valueBytes) => Of("PUT", key, $"Content-Length: {valueBytes}\r\n");

    private static byte[] Of(string method, int key, string headers) => Encoding.ASCII.GetBytes(string.Create(
        CultureInfo.InvariantCulture, $"{method} /v1/tables/load/entries/key-{key:D8} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"));

    private static byte[][] MakeGets()
    {
        var gets = new byte[HttpOptions.Entries][];
        for (int key = 0; key < gets.Length; key++)
            gets[key] = Of("GET", key, "");
        return gets;
    }
}
