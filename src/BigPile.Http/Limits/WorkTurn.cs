using System;
using System.Threading;

namespace BigPile.Http.Limits;

/// <summary>A turn of <see cref="ExpensiveWork"/>; the default value stands for work that needs none.</summary>
internal readonly struct WorkTurn(SemaphoreSlim? turns) : IDisposable
{
    /// <summary>Gives the turn to the next waiter.</summary>
    public void Dispose() => turns?.Release();
}
