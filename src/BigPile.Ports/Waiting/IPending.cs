namespace BigPile.Ports.Waiting;

/// <summary>An operation that is waited for without a thread of its own.</summary>
internal interface IPending
{
    /// <summary>Whether trying is worth while. Checking is cheap.</summary>
    bool IsThere { get; }

    /// <summary>Tries to finish.</summary>
    /// <returns>Whether it is over: done, failed or cancelled.</returns>
    bool TryFinish();

    /// <summary>Checks whether the peer has died; called after a long wait.</summary>
    void CheckPeer();
}
