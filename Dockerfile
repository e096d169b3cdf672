FROM mcr.microsoft.com/dotnet/sdk:10.0 AS build
WORKDIR /source
COPY .editorconfig ./
COPY src/ src/
RUN dotnet publish src/BigPile.Server --configuration Release --output /app -p:RunAnalyzers=false

FROM mcr.microsoft.com/dotnet/aspnet:10.0
# A container is reached from outside only if it listens on all of its addresses. The server refuses that until it has keys (the verb
# 'key' makes them), and until it has a certificate or is told that something in front of it encrypts:
#   docker run --rm bigpile key --name app --scopes read,write
#   docker run -p 127.0.0.1:5080:5080 -v pile:/data --env-file keys.env -e Security__AllowWithoutTls=true bigpile
ENV ASPNETCORE_HTTP_PORTS="" \
    ASPNETCORE_URLS=http://0.0.0.0:5080 \
    Pile__Directory=/data \
    Server__LoadSample=false
RUN mkdir /data && chown "$APP_UID" /data
COPY --from=build /app /app
USER $APP_UID
VOLUME /data
EXPOSE 5080
HEALTHCHECK --interval=30s --timeout=6s --start-period=30s CMD ["dotnet", "/app/BigPile.Server.dll", "health"]
ENTRYPOINT ["dotnet", "/app/BigPile.Server.dll"]
