using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Metrics;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace BigPile.Http.FastPath;

/// <summary>Serves one connection on the fast path.</summary>
/// <remarks>
/// Reads requests, answers those that it supports, and leaves any other request unread at the front of the input for the full stack. Thread
/// safety: heartbeats and cancellations arrive on other threads; all else runs on one thread at a time.
/// </remarks>
internal sealed class FastPathConnection
{
    /// <summary>The parser of this thread; <see cref="Answer"/> uses it without awaiting in between.</summary>
    [ThreadStatic]
    private static RequestHead? _head;

    /// <summary>The head finder of this thread, used likewise.</summary>
    [ThreadStatic]
    private static HeadFinder? _finder;

    /// <summary>The services, limits and counters that the endpoint's connections share.</summary>
    private readonly FastPathEndpoint _endpoint;
    private readonly ConnectionContext _connection;
    private readonly PipeReader _input;
    private readonly PipeWriter _output;
    private readonly FastPathResponder _responder;
    private readonly FastPathTimer _timer;
    /// <summary>The phase whose limit passed; set by the heartbeat thread.</summary>
    private volatile TimeoutPhase _expired;
    /// <summary>The connection closes after the next answer, or when it is idle; set by any thread, never cleared.</summary>
    private volatile bool _isStopping;
    /// <summary>The stack canceled its pending read; set by any thread, never cleared.</summary>
    private volatile bool _isCanceled;
    /// <summary>Bytes of the input that were reported as examined but not consumed: the part of a head that has arrived.</summary>
    private long _scannedBytes;
    /// <summary>Whether the connection holds a slot of the endpoint's load limit.</summary>
    private bool _isCounted;

    internal FastPathConnection(FastPathEndpoint endpoint, ConnectionContext connection)
    {
        _endpoint = endpoint;
        _connection = connection;
        _input = connection.Transport.Input;
        _output = connection.Transport.Output;
        _responder = new FastPathResponder(endpoint, _output, connection.RemoteEndPoint);
        _timer = new FastPathTimer(OnExpired);
    }

    internal FastPathCounters Counters => _endpoint.Counters;

    /// <summary>Bytes of the handed-over request, head and body; -1 if its end is unknown.</summary>
    internal long HandoverBytes { get; private set; }

    /// <summary>Whether the fast path has taken the rate-limit permit of the handed-over request.</summary>
    internal bool HandoverHasPermit { get; private set; }

    /// <summary>Serves the connection until it closes; the full stack serves what the fast path can't.</summary>
    internal async Task RunAsync(ConnectionDelegate next)
    {
        _timer.Start(_connection.Features.Get<IConnectionHeartbeatFeature>());
        try
        {
            ServeResult result;
            using (ClosingOf(_connection).UnsafeRegister(static connection => ((FastPathConnection)connection!).Stop(), this))
                result = await ServeAsync().ConfigureAwait(false);
            if (result == ServeResult.HandOver)
                await HandOverAsync(next).ConfigureAwait(false);
        }
        catch (Exception e) when (e is ConnectionResetException or ConnectionAbortedException or OperationCanceledException)
        {
            // The client is gone.
        }
        finally
        {
            _timer.Stop();
            Leave();
            await _input.CompleteAsync().ConfigureAwait(false);
            await _output.CompleteAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Answers requests until the next one belongs to the full stack, or the connection ends.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    internal async ValueTask<ServeResult> ServeAsync()
    {
        int readsOfHead = 0;
        while (true)
        {
            if (readsOfHead == 0)
                _timer.Enter(TimeoutPhase.Idle, _endpoint.Limits.IdleTicks);
            ReadResult read = await _input.ReadAsync().ConfigureAwait(false);
            if (readsOfHead == 0)
                _timer.Stop();
            if (read.IsCanceled && !_isStopping)
                _isCanceled = _isStopping = true; // the stack canceled its read just as it handed the connection back
            FastPathStep step = Answer(read.Buffer, out SequencePosition consumed);
            if (!consumed.Equals(read.Buffer.Start))
                readsOfHead = 0;
            bool isAtEnd = IsAtEnd(step, read);
            if (step == FastPathStep.ReadMore && !isAtEnd)
            {
                readsOfHead++;
                // A partial head may be handed over only here, right after a read that brought bytes or the end. From a timer, the stack's
                // first read would wait for more: a PipeReader does not return examined bytes again before more arrive.
                if (read.IsCompleted)
                    step = HandOver(-1);
            }
            if (isAtEnd && step == FastPathStep.ReadMore && _expired == TimeoutPhase.Head)
                _responder.WriteTimeout();
            Advance(read.Buffer, consumed, step);
            bool isOpen = _responder.UnsentBytes == 0 || await TryFlushAsync().ConfigureAwait(false);
            Leave();
            if (!isOpen)
                return ServeResult.End;
            if (isAtEnd)
                return _isCanceled ? ServeResult.Canceled : ServeResult.End;
            if (step == FastPathStep.HandOver)
            {
                _timer.Stop();
                return ServeResult.HandOver;
            }
            if (step != FastPathStep.ReadMore)
                readsOfHead = 0;
            else if (readsOfHead == 1)
                // A slow head is awaited here to the end of its time: the stack would grant it the full time again.
                _timer.Enter(TimeoutPhase.Head, _endpoint.Limits.HeadTicks);
        }
    }

    /// <summary>Called when the full stack cancels its read because it wants to close the connection.</summary>
    /// <remarks>
    /// To the stack, the time that the fast path serves is idle time. When the stack's keep-alive limit passes and the server is not
    /// stopping, the connection therefore closes with its next answer, which says so; no request is lost. An idle connection is closed by
    /// the fast path's own limit.
    /// </remarks>
    internal void Cancel()
    {
        _isCanceled = true;
        _isStopping = true;
        if (ClosingOf(_connection).IsCancellationRequested)
            _input.CancelPendingRead();
    }

    private static CancellationToken ClosingOf(ConnectionContext connection) =>
        connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? CancellationToken.None;

    private void Stop()
    {
        _isStopping = true;
        _input.CancelPendingRead();
    }

    private void OnExpired(TimeoutPhase phase)
    {
        if (phase == TimeoutPhase.Flush)
        {
            _connection.Abort(new ConnectionAbortedException("The client did not take what was sent to it in time."));
            return;
        }
        _expired = phase;
        Stop();
    }

    private bool IsAtEnd(FastPathStep step, in ReadResult read) => step switch
    {
        FastPathStep.Close => true,
        FastPathStep.Read => read.IsCompleted || (_isStopping && read.IsCanceled),
        FastPathStep.ReadMore => _isStopping && read.IsCanceled,
        _ => false,
    };

    /// <summary>Answers the complete requests at the front of the input that the fast path supports.</summary>
    private FastPathStep Answer(ReadOnlySequence<byte> received, out SequencePosition consumed)
    {
        RequestHead head = _head ??= new RequestHead();
        HeadFinder finder = _finder ??= new HeadFinder();
        consumed = received.Start;
        while (!received.IsEmpty)
        {
            HeadState state = finder.Find(received, _endpoint.Limits, out ReadOnlyMemory<byte> bytes);
            if (state == HeadState.Partial)
                return FastPathStep.ReadMore;
            if (state == HeadState.Unsupported)
                return HandOver(-1);
            int headBytes = bytes.Length;
            head.Read(bytes, _endpoint.Limits.Headers, _endpoint.IgnoredHeaders, _endpoint.Clients);
            if (!head.IsFast)
                return HandOver(head.IsFramed ? headBytes + head.ContentLength : -1);
            if (!TryEnter())
                return HandOver(headBytes); // the stack refuses it too, with Retry-After
            ReadOnlySequence<byte> behind = received.Slice(headBytes);
            bool isLast = head.WantsClose || (_isStopping && !HasHead(finder, behind));
            if (!_responder.TryAnswer(head, isLast))
                return HandOver(headBytes, _responder.HasPermit);
            received = behind;
            consumed = received.Start;
            _scannedBytes = 0;
            if (isLast)
                return FastPathStep.Close;
            if (_responder.UnsentBytes >= HeadLimits.FlushBytes)
                return FastPathStep.Flush;
        }
        return FastPathStep.Read;
    }

    private bool HasHead(HeadFinder finder, in ReadOnlySequence<byte> received) =>
        !received.IsEmpty && finder.Find(received, _endpoint.Limits, out _) != HeadState.Partial;

    // A connection takes one slot of the load limit, as in the stack, however many requests it has pipelined: from its first answer until
    // the client has taken the answers.
    private bool TryEnter()
    {
        if (!_isCounted && _endpoint.Load is { } load)
            return _isCounted = load.TryEnter();
        return true;
    }

    private void Leave()
    {
        if (!_isCounted)
            return;
        _isCounted = false;
        _endpoint.Load!.Leave();
    }

    private FastPathStep HandOver(long requestBytes, bool hasPermit = false)
    {
        HandoverBytes = requestBytes;
        HandoverHasPermit = hasPermit;
        return FastPathStep.HandOver;
    }

    private void Advance(in ReadOnlySequence<byte> received, SequencePosition consumed, FastPathStep step)
    {
        if (step == FastPathStep.ReadMore)
        {
            _scannedBytes = received.Slice(consumed).Length;
            _input.AdvanceTo(consumed, received.End);
            return;
        }
        // What was once reported as examined must be reported again. More bytes follow it, so the next read still completes at once.
        _input.AdvanceTo(consumed, received.GetPosition(_scannedBytes, consumed));
        _scannedBytes = 0;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> TryFlushAsync()
    {
        int unsentBytes = _responder.UnsentBytes;
        _responder.MarkSent();
        ValueTask<FlushResult> flush = _output.FlushAsync();
        if (flush.IsCompletedSuccessfully)
            return IsOpen(flush.Result);
        _timer.Enter(TimeoutPhase.Flush, _endpoint.Limits.FlushTicks(unsentBytes));
        FlushResult flushed = await flush.ConfigureAwait(false);
        _timer.Stop();
        return IsOpen(flushed);
    }

    private static bool IsOpen(FlushResult flushed) => !flushed.IsCompleted && !flushed.IsCanceled;

    private Task HandOverAsync(ConnectionDelegate next)
    {
        Counters.CountHandOver();
        if (HandoverBytes >= 0)
        {
            var reader = new HandoverReader(_input, this);
            _connection.Transport = new HandoverTransport(reader, _output);
            _connection.Features.Set<IHandoverFeature>(reader);
        }
        return next(_connection);
    }
}

/// <summary>What the connection does after it has answered what it could.</summary>
internal enum FastPathStep
{
    /// <summary>Read: every received request is answered.</summary>
    Read,

    /// <summary>Read the rest of a partial head.</summary>
    ReadMore,

    /// <summary>Flush the answers; more requests are waiting.</summary>
    Flush,

    /// <summary>Hand the next request over to the full stack.</summary>
    HandOver,

    /// <summary>Close the connection, as the last answer announced.</summary>
    Close,
}
