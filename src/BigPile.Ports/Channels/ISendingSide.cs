namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as seen by a process that sends, or has sent.</summary>
internal interface ISendingSide
{
    /// <summary>
    /// Tells this side that its process has opened the port again: the new side holds what is in flight, and owns the port's end.
    /// </summary>
    void Supersede();
}
