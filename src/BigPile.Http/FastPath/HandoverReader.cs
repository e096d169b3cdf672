using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Protocol;

namespace BigPile.Http.FastPath;

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
    private long _remainingBytes;
    private volatile bool _isAnswered;
    private volatile bool _isServing;
    private bool _isPassThrough;
    private bool _isSynthetic;
    private bool _hasPermit;

    internal HandoverReader(PipeReader input, FastPathConnection connection)
    {
        _input = input;
        _connection = connection;
        BeginRequest();
    }

    /// <inheritdoc/>
    public void OnResponseCompleted() => _isAnswered = true;

    /// <inheritdoc/>
    public bool TakePermit()
    {
        bool hadPermit = _hasPermit;
        _hasPermit = false;
        return hadPermit;
    }

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_isPassThrough)
            return _input.ReadAsync(cancellationToken);
        return _remainingBytes == 0 && _isAnswered ? ServeAsync(cancellationToken) : ReadCountedAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override bool TryRead(out ReadResult result)
    {
        if (!_input.TryRead(out result))
            return false;
        if (!_isPassThrough)
            Remember(result);
        return true;
    }

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition scanned)
    {
        if (_isSynthetic)
        {
            _isSynthetic = false;
            return;
        }
        if (!_isPassThrough)
        {
            _remainingBytes -= _read.Slice(0, consumed).Length;
            _read = default;
            _isPassThrough = _remainingBytes < 0; // the stack took more than the request has: its count is the right one
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

    private void BeginRequest()
    {
        _isAnswered = false;
        _hasPermit = _connection.HandoverHasPermit;
        _remainingBytes = _connection.HandoverBytes;
        _isPassThrough = _remainingBytes < 0;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> ServeAsync(CancellationToken cancellationToken)
    {
        _connection.Counters.CountReturn();
        _isServing = true;
        ServeResult served = await _connection.ServeAsync().ConfigureAwait(false);
        _isServing = false;
        if (served != ServeResult.HandOver)
        {
            _isSynthetic = true;
            return new ReadResult(ReadOnlySequence<byte>.Empty, isCanceled: served == ServeResult.Canceled, isCompleted: served == ServeResult.End);
        }
        _connection.Counters.CountHandOver();
        BeginRequest();
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
