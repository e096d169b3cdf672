using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Perf.Traffic;

/// <summary>One connection with keys of its own, so that its model of them is exact.</summary>
/// <remarks>
/// A batch of requests is sent at once, and then the responses are read. No key occurs twice in a batch, so each expected response follows
/// from the model at the time of sending. When the server ends, each unanswered change has happened or not; the key is read from the next
/// server and must match either.
/// </remarks>
internal sealed class TrafficClient
{
    private const int BatchKeys = 16;

    private readonly TrafficOptions _options;
    private readonly TrafficServer _server;
    private readonly TrafficTally _tally;
    private readonly Random _random;
    private readonly RequestWriter _writer;
    private readonly AnswerCheck _check;
    private readonly KeyState[] _states;
    private readonly uint[] _sequences; // the last sequence of each key, whether it still exists or not
    private readonly int[] _usedIn;
    private readonly List<TrafficRequest> _requests = [];
    private readonly List<int> _keys = [];
    private readonly List<uint> _newSequences = [];
    private readonly Stack<(int Key, KeyState Changed)> _uncertain = [];
    private int _batch;
    private int _generation;

    internal TrafficClient(int number, TrafficOptions options, TrafficServer server, TrafficTally tally)
    {
        _options = options;
        _server = server;
        _tally = tally;
        _random = new Random(SeedOf(options.Seed, number));
        var values = new TrafficValues(options.Seed);
        _writer = new RequestWriter(number, values);
        _states = new KeyState[options.Keys];
        _sequences = new uint[options.Keys];
        _usedIn = new int[options.Keys];
        _check = new AnswerCheck(number, values, _states, tally);
    }

    /// <summary>Sends requests, and reads every key once at the end.</summary>
    internal void Run(long requests, CancellationToken stop)
    {
        ResponseReader? connection = null;
        try
        {
            connection = new ResponseReader(_server.Address);
            for (long done = 0; done < requests && _tally.Failure == null;)
            {
                stop.ThrowIfCancellationRequested();
                Compose((int)Math.Min(_options.Depth, requests - done));
                int answered = Exchange(ref connection);
                _tally.CountDone(CollectionsMarshal.AsSpan(_requests)[..answered]);
                done += answered;
            }
            for (int done = 0; done < _states.Length && _tally.Failure == null;)
            {
                stop.ThrowIfCancellationRequested();
                ComposeReads(done, Math.Min(_options.Depth, _states.Length - done));
                int answered = Exchange(ref connection);
                _tally.CountFinalReads(answered);
                done += answered;
            }
        }
        finally
        {
            connection?.Dispose();
        }
    }

    private static int SeedOf(int seed, int number) => unchecked(seed * 31 + number);

    private void Begin()
    {
        _batch++;
        _requests.Clear();
        _keys.Clear();
        _newSequences.Clear();
        _writer.Clear();
    }

    private void ComposeReads(int first, int count)
    {
        Begin();
        for (int i = 0; i < count; i++)
            Add(TrafficKind.Read, first + i, 0, 0);
    }

    private void Compose(int count)
    {
        Begin();
        for (int i = 0; i < count; i++)
        {
            TrafficKind kind = ChooseKind();
            if (kind is TrafficKind.ReadMany or TrafficKind.WriteMany)
                AddMany(kind);
            else
                AddOne(kind, ChooseKey());
        }
    }

    // In percent: 50 reads, 15 conditional reads, 5 HEAD, 20 writes, 8 deletions, 2 batches.
    private TrafficKind ChooseKind()
    {
        int dice = _random.Next(100);
        if (dice < 2)
            return dice == 0 ? TrafficKind.ReadMany : TrafficKind.WriteMany;
        if (dice < 52)
            return TrafficKind.Read;
        if (dice < 67)
            return TrafficKind.ReadIfChanged;
        if (dice < 72)
            return TrafficKind.ReadHead;
        if (dice < 92)
            return dice < 79 ? TrafficKind.WriteForTime : TrafficKind.Write;
        return TrafficKind.Delete;
    }

    private int ChooseKey()
    {
        while (true)
        {
            int key = _random.Next(_states.Length);
            if (_usedIn[key] == _batch)
                continue;
            _usedIn[key] = _batch;
            return key;
        }
    }

    private void AddOne(TrafficKind kind, int key)
    {
        int lifetimeMs = kind == TrafficKind.WriteForTime ? _random.Next(20, 3_000) : 0;
        ulong tag = 0;
        if (kind == TrafficKind.ReadIfChanged)
            tag = _random.Next(3) == 0 || _states[key].Tag == 0 ? (ulong)_random.NextInt64(1, long.MaxValue) : _states[key].Tag;
        Add(kind, key, lifetimeMs, tag);
    }

    private void Add(TrafficKind kind, int key, int lifetimeMs, ulong tag)
    {
        _requests.Add(new TrafficRequest(kind, _keys.Count, 1, lifetimeMs, tag));
        uint sequence = kind is TrafficKind.Write or TrafficKind.WriteForTime ? ++_sequences[key] : 0;
        _keys.Add(key);
        _newSequences.Add(sequence);
        if (sequence != 0)
            _writer.Put(key, sequence, lifetimeMs);
        else if (kind == TrafficKind.Delete)
            _writer.Delete(key);
        else
            _writer.Read(kind == TrafficKind.ReadHead ? "HEAD"u8 : "GET"u8, key, tag);
    }

    private void AddMany(TrafficKind kind)
    {
        int first = _keys.Count;
        _requests.Add(new TrafficRequest(kind, first, BatchKeys, 0, 0));
        for (int i = 0; i < BatchKeys; i++)
        {
            int key = ChooseKey();
            _keys.Add(key);
            _newSequences.Add(kind == TrafficKind.WriteMany ? ++_sequences[key] : 0);
        }
        ReadOnlySpan<int> keys = CollectionsMarshal.AsSpan(_keys)[first..];
        if (kind == TrafficKind.ReadMany)
            _writer.ReadMany(keys);
        else
            _writer.WriteMany(keys, CollectionsMarshal.AsSpan(_newSequences)[first..]);
    }

    /// <summary>Sends the batch and checks the answers.</summary>
    /// <returns>How many there were: all, unless the server ended meanwhile. The connection is then one to the next server.</returns>
    private int Exchange(ref ResponseReader? connection)
    {
        long sent = Stopwatch.GetTimestamp();
        int answered = 0;
        try
        {
            connection!.Send(_writer.Written);
            for (; answered < _requests.Count; answered++)
            {
                Read(connection, _requests[answered].HasBody);
                Check(_requests[answered], connection, sent);
            }
        }
        catch (ConnectionLostException)
        {
            connection?.Dispose();
            connection = null;
            MarkUnanswered(answered, sent);
            connection = Recover();
        }
        return answered;
    }

    private void Read(ResponseReader connection, bool hasBody)
    {
        connection.Read(hasBody);
        if (connection.Status == 503 && _server.IsRestarting)
            throw new ConnectionLostException("The server is about to end.");
    }

    private void Check(in TrafficRequest request, ResponseReader answer, long sent)
    {
        long answered = Stopwatch.GetTimestamp();
        if (request.Count == 1)
        {
            _check.One(request, _keys[request.First], _newSequences[request.First], answer, sent, answered);
            return;
        }
        ReadOnlySpan<int> keys = CollectionsMarshal.AsSpan(_keys).Slice(request.First, request.Count);
        ReadOnlySpan<uint> sequences = CollectionsMarshal.AsSpan(_newSequences).Slice(request.First, request.Count);
        _check.Many(request, keys, sequences, answer, sent, answered);
    }

    private void MarkUnanswered(int answered, long sent)
    {
        long lost = Stopwatch.GetTimestamp();
        foreach (TrafficRequest request in CollectionsMarshal.AsSpan(_requests)[answered..])
        {
            if (!request.IsChange)
                continue;
            _tally.CountUncertain(request.Count);
            for (int n = request.First; n < request.First + request.Count; n++)
                _uncertain.Push((_keys[n], KeyState.Put(_newSequences[n], 0, request.LifetimeMs, sent, lost)));
        }
    }

    // Each change that was sent and not answered has happened or not: the next server's state is right if it matches either. That server
    // may also end before all of them are known.
    private ResponseReader Recover()
    {
        while (true)
        {
            IPEndPoint address = _server.WaitForNext(ref _generation);
            ResponseReader? connection = null;
            try
            {
                connection = new ResponseReader(address);
                while (_uncertain.TryPeek(out (int Key, KeyState Changed) change))
                {
                    Resolve(connection, change.Key, change.Changed);
                    _uncertain.Pop();
                }
                return connection;
            }
            catch (ConnectionLostException)
            {
                connection?.Dispose();
            }
        }
    }

    private void Resolve(ResponseReader connection, int key, KeyState changed)
    {
        _writer.Clear();
        _writer.Read("GET"u8, key, 0);
        long sent = Stopwatch.GetTimestamp();
        connection.Send(_writer.Written);
        Read(connection, hasBody: true);
        _check.Either(key, changed, connection, sent, Stopwatch.GetTimestamp());
    }
}
