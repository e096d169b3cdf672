using System;
using System.Buffers;
using System.Threading;

namespace BigPile;

/// <summary>A view of an object's payload in place, without a copy.</summary>
/// <remarks>
/// <para>
/// The bytes do not change until <see cref="Dispose()"/>, whatever happens to the pointer: a replacement goes elsewhere, and a deletion
/// frees the memory when the last lease ends. Dispose leases soon: they hold memory, and a forgotten lease holds it for ever (a finalizer
/// could free it under a span that is still in use). A pile that is disposed while leases exist keeps its segments and its directory until
/// the last lease ends: no process can open it before.
/// </para>
/// <para>Thread safety: any thread may read the bytes; dispose once, when no thread reads them any more.</para>
/// </remarks>
public sealed unsafe class PileLease : MemoryManager<byte>
{
    private readonly ILeaseOwner _owner;
    private readonly byte* _payload;
    private readonly int _lengthBytes;
    private int _isEnded;

    internal PileLease(ILeaseOwner owner, ulong address, byte* payload, int lengthBytes, PayloadKind kind)
    {
        _owner = owner;
        Address = address;
        _payload = payload;
        _lengthBytes = lengthBytes;
        Kind = kind;
    }

    /// <summary>What the payload is: text is UTF-8, an object the codec's bytes.</summary>
    public PayloadKind Kind { get; }

    /// <summary>The payload.</summary>
    public new ReadOnlyMemory<byte> Memory => CreateMemory(_lengthBytes);

    /// <summary>The payload.</summary>
    /// <exception cref="ObjectDisposedException">The lease has ended.</exception>
    public ReadOnlySpan<byte> Span => GetSpan();

    internal ulong Address { get; }

    /// <summary>Ends the lease; a second call does nothing.</summary>
    public void Dispose() => Dispose(disposing: true);

    /// <inheritdoc/>
    public override Span<byte> GetSpan()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isEnded) != 0, this);
        return new Span<byte>(_payload, _lengthBytes);
    }

    /// <inheritdoc/>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(elementIndex);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(elementIndex, _lengthBytes);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isEnded) != 0, this);
        return new MemoryHandle(_payload + elementIndex);
    }

    /// <inheritdoc/>
    public override void Unpin()
    {
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (Interlocked.Exchange(ref _isEnded, 1) == 0)
            _owner.End(this);
    }
}

/// <summary>Is notified when a lease ends.</summary>
internal interface ILeaseOwner
{
    /// <summary>Ends a lease; called once per lease.</summary>
    void End(PileLease lease);
}
