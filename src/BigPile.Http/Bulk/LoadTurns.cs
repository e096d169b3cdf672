using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Limits;

namespace BigPile.Http.Bulk;

/// <summary>
/// A load's turns of <see cref="ExpensiveWork"/>. It yields its turn after some milliseconds, and whenever it waits for its client.
/// </summary>
/// <param name="work">The limiter; <see langword="null"/>: no turns are needed.</param>
/// <remarks>Thread safety: none; it belongs to one load.</remarks>
internal sealed class LoadTurns(ExpensiveWork? work) : IDisposable
{
    private const int MostMs = 20;

    private WorkTurn? _turn;
    private long _since;

    /// <summary>Ensures that the load has a turn.</summary>
    /// <exception cref="OperationCanceledException">The wait was canceled.</exception>
    internal async ValueTask EnterAsync(CancellationToken stop)
    {
        if (work == null)
            return;
        if (Environment.TickCount64 - _since >= MostMs)
            Leave();
        if (_turn != null)
            return;
        _turn = await work.EnterAsync(stop).ConfigureAwait(false);
        _since = Environment.TickCount64;
    }

    /// <summary>Leaves the turn, if the load has one.</summary>
    internal void Leave()
    {
        _turn?.Dispose();
        _turn = null;
    }

    public void Dispose() => Leave();
}
