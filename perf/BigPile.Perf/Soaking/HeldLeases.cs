using System;

namespace BigPile.Perf.Soaking;

/// <summary>Leases that a worker holds while it continues: their content must not change, whatever happens to the objects.</summary>
internal sealed class HeldLeases(SoakErrors errors) : IDisposable
{
    private const int MaxHeld = 8;

    private readonly Held[] _held = new Held[MaxHeld];
    private int _next;

    /// <summary>Takes over a lease, and ends the one that was held longest.</summary>
    internal void Hold(PileLease lease, uint id, ushort version)
    {
        End(ref _held[_next]);
        _held[_next] = new Held(lease, id, version, lease.Span.Length);
        _next = (_next + 1) % MaxHeld;
    }

    /// <summary>Ends all.</summary>
    public void Dispose()
    {
        for (int i = 0; i < MaxHeld; i++)
            End(ref _held[i]);
    }

    private void End(ref Held held)
    {
        if (held.Lease == null)
            return;
        string? why = SoakValue.WhyNot(held.Lease.Span, held.Id, held.Version, held.LengthBytes);
        held.Lease.Dispose();
        errors.ReportIf($"a lease of {SoakId.NameOf(held.Id)}", why);
        held = default;
    }

    private readonly record struct Held(PileLease? Lease, uint Id, ushort Version, int LengthBytes);
}
