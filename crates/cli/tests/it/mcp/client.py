"""Calls kasuan's tools as an assistant does, with the real client of the protocol's authors.

usage: client.py PROGRAM CALLS.json, where CALLS is a list of [tool, arguments]; prints one JSON line
for the list of tools and one for each answer.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client


async def main():
    program, calls = sys.argv[1], json.load(open(sys.argv[2]))
    server = StdioServerParameters(command=program, args=["mcp", "--today", "2026-12-01", "--lang", "en"], env={"PATH": "/usr/bin:/bin"})
    async with stdio_client(server) as (incoming, outgoing):
        async with ClientSession(incoming, outgoing) as session:
            hello = await session.initialize()
            tools = (await session.list_tools()).tools
            told = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
            print(json.dumps({"server": hello.model_dump(mode="json", by_alias=True)["serverInfo"]["name"], "tools": told}))
            for tool, arguments in calls:
                answer = await session.call_tool(tool, arguments)
                print(json.dumps(answer.model_dump(mode="json", by_alias=True, exclude_none=True)))


asyncio.run(main())
