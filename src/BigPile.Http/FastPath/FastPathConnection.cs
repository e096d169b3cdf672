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

/// <summary>One connection at the fast door.</summary>
/// <remarks>
/// It reads, answers what it knows, and leaves the rest untouched at the front of the input for the stack. What is read but not whole is
/// handed over only right behind a read that brought bytes, never from a timer: the stack's first read would not see bytes that were
/// examined before. A head that is slow is waited for here, however long it is, because the stack would give it its time once more. Thread
/// safety: heartbeats and cancellations come on other threads, everything else from one at a time.
/// </remarks>
internal sealed class FastPathConnection
{
    [ThreadStatic]
    private static RequestHead? _head;

    [ThreadStatic]
    private static HeadFinder? _finder;

    private readonly FastPathEndpoint _endpoint;
    private readonly ConnectionContext _connection;
    private readonly PipeReader _input;
    private readonly PipeWriter _output;
    private readonly FastPathResponder _responder;
    private readonly FastPathTimer _timer;
    private volatile TimeoutPhase _expired;
    private volatile bool _isStopping;
    private volatile bool _isCanceled;
    private long _scannedBytes;
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

    /// <summary>The bytes of the request that was handed over, head and body; -1 when its end is not known.</summary>
    internal long HandoverBytes { get; private set; }

    /// <summary>Whether the permit of the request that was handed over is taken.</summary>
    internal bool HandoverHasPermit { get; private set; }

    /// <summary>Serves the connection, with the stack's help, to its end.</summary>
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

    /// <summary>Answers requests until one of the stack is at the front of the input, or the connection is at its end.</summary>
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
                _isCanceled = _isStopping = true; // by the stack, in the moment in which it gave the connection back
            FastPathStep step = Answer(read.Buffer, out SequencePosition consumed);
            if (!consumed.Equals(read.Buffer.Start))
                readsOfHead = 0;
            bool isAtEnd = IsAtEnd(step, read);
            if (step == FastPathStep.ReadMore && !isAtEnd)
            {
                readsOfHead++;
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
                _timer.Enter(TimeoutPhase.Head, _endpoint.Limits.HeadTicks);
        }
    }

    /// <summary>Gives the connection back to the stack, which wants to end it.</summary>
    /// <remarks>
    /// The stack counts as idle the time in which the door serves. So when its limit has come, and the server does not stop, the connection
    /// ends with the next answer, which says so: a client never loses a request by it. The door's own limit ends a connection that is idle.
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

    /// <summary>Answers what is whole and the door's.</summary>
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
                return HandOver(headBytes); // the stack says the same, and how to go on
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

    // As in the stack, a connection counts as one request at most: from the first head that it answers until the client took the answers.
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
        // What was examined once can't be taken back; but there is more behind it, so that the next read has it at once.
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
