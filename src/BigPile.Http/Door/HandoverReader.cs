using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Protocol;

namespace BigPile.Http.Door;

/// <summary>The input of a connection that was handed over for one request: it takes the connection back behind that request.</summary>
/// <remarks>
/// The stack asks for its next request by a read. If the one before is over, the door serves inside that read, and lets it return only when
/// a request of the stack is at the front. A request is over when both are true: as many bytes were consumed as it has, and its answer is
/// complete. The first alone could answer ahead of a request that runs; the second alone would take a body that nobody read for requests.
/// Behind a request whose end is not known the gate lets everything pass.
/// </remarks>
internal sealed class HandoverReader : PipeReader, IHandoverFeature
{
    private readonly PipeReader _input;
    private readonly FastPathConnection _connection;
    private ReadOnlySequence<byte> _read;
    private long _leftBytes;
    private volatile bool _isAnswered;
    private volatile bool _isServing;
    private bool _isOpen;
    private bool _isMadeUp;
    private bool _hasPermit;

    internal HandoverReader(PipeReader input, FastPathConnection connection)
    {
        _input = input;
        _connection = connection;
        Follow();
    }

    /// <inheritdoc/>
    public void OnResponseCompleted() => _isAnswered = true;

    /// <inheritdoc/>
    public bool TakePermit()
    {
        bool had = _hasPermit;
        _hasPermit = false;
        return had;
    }

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_isOpen)
            return _input.ReadAsync(cancellationToken);
        return _leftBytes == 0 && _isAnswered ? ServeAsync(cancellationToken) : ReadCountedAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override bool TryRead(out ReadResult result)
    {
        if (!_input.TryRead(out result))
            return false;
        if (!_isOpen)
            Remember(result);
        return true;
    }

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition scanned)
    {
        if (_isMadeUp)
        {
            _isMadeUp = false;
            return;
        }
        if (!_isOpen)
        {
            _leftBytes -= _read.Slice(0, consumed).Length;
            _read = default;
            _isOpen = _leftBytes < 0; // the stack took more than the request has: its count is the right one
        }
        _input.AdvanceTo(consumed, scanned);
    }

    /// <inheritdoc/>
    public override void CancelPendingRead()
    {
        // A read that the stack waits for may be one of the door's.
        if (_isServing)
            _connection.Cancel();
        else
            _input.CancelPendingRead();
    }

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null) => _input.Complete(exception);

    /// <inheritdoc/>
    public override ValueTask CompleteAsync(Exception? exception = null) => _input.CompleteAsync(exception);

    private void Follow()
    {
        _isAnswered = false;
        _hasPermit = _connection.HandedPermit;
        _leftBytes = _connection.HandedBytes;
        _isOpen = _leftBytes < 0;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> ServeAsync(CancellationToken cancellationToken)
    {
        _connection.Counters.CountReturn();
        _isServing = true;
        ServeResult turn = await _connection.ServeAsync().ConfigureAwait(false);
        _isServing = false;
        if (turn != ServeResult.HandOver)
        {
            _isMadeUp = true;
            return new ReadResult(ReadOnlySequence<byte>.Empty, isCanceled: turn == ServeResult.Canceled, isCompleted: turn == ServeResult.End);
        }
        _connection.Counters.CountHandOver();
        Follow();
        return await ReadCountedAsync(cancellationToken).ConfigureAwait(false);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> ReadCountedAsync(CancellationToken cancellationToken)
    {
        ReadResult result = await _input.ReadAsync(cancellationToken).ConfigureAwait(false);
        Remember(result);
        return result;
    }

    private void Remember(in ReadResult result) => _read = result.Buffer;
}
