using System;
using System.Threading;

namespace BigPile.Http.Limits;

/// <summary>A turn of <see cref="ExpensiveWork"/>; the default one stands for work that needs none.</summary>
internal readonly struct WorkTurn(SemaphoreSlim? turns) : IDisposable
{
    /// <summary>Leaves the turn to the next work.</summary>
    public void Dispose() => turns?.Release();
}
