using System.Threading;

namespace BigPile.Perf.Messages;

/// <summary>The message pattern of a mode.</summary>
internal interface IMessageLoad
{
    /// <summary>Sends some messages, and waits until all receivers have theirs.</summary>
    /// <exception cref="LoadException">One was changed or lost, or a receiver is gone.</exception>
    MessageFigures Run(int count, CancellationToken stop);

    /// <summary>Tells all receivers to end.</summary>
    void End();
}
